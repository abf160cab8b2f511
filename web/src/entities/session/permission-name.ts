import { useQuery } from '@tanstack/react-query';
import { permissionsCatalogueQuery } from '@/entities/role/api';
import { useLanguage } from '@/i18n/provider';

/**
 * usePermissionName returns a function from a permission to its display name, or its code until the names are loaded.
 */
export function usePermissionName(): (permission: string) => string {
  const { language } = useLanguage();
  const { data: catalogue = [] } = useQuery(permissionsCatalogueQuery);
  return (permission) => {
    const info = catalogue.find(({ name }) => name === permission);
    return (language === 'en' ? info?.labelEn : info?.label) ?? permission;
  };
}
